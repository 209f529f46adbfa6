package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"path"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

//go:embed assets
var shellAssets embed.FS

// assets are the site's files, held in memory with their hash and gzip. The
// mutex is there for worlds and templates that are loaded anew while serving.
type assets struct {
	mu    sync.RWMutex
	files map[string]asset
}

type asset struct {
	kind   string
	hash   string
	body   []byte
	zipped []byte // nil where gzip doesn't make it smaller
}

func newAssets() (*assets, error) {
	as := &assets{files: map[string]asset{}}
	sub, err := fs.Sub(shellAssets, "assets")
	if err != nil {
		return nil, err
	}
	return as, as.addAll(sub)
}

// MountAssets serves every file of fsys below /assets/.
func (a *App) MountAssets(fsys fs.FS) error { return a.assets.addAll(fsys) }

// AddAsset serves a file made at start, such as a town's colours. Template
// funcs name it by {{asset "town.css"}}.
func (a *App) AddAsset(name string, body []byte) { a.assets.add(name, body) }

// Asset is the address of a file, with its hash, so that browsers may keep it
// for ever. An unknown name gives the plain address.
func (a *App) Asset(name string) string {
	a.assets.mu.RLock()
	defer a.assets.mu.RUnlock()
	f, ok := a.assets.files[name]
	if !ok {
		return "/assets/" + name
	}
	return "/assets/" + name + "?v=" + f.hash
}

func (as *assets) addAll(fsys fs.FS) error {
	return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		as.add(name, body)
		return nil
	})
}

func (as *assets) add(name string, body []byte) {
	sum := sha256.Sum256(body)
	f := asset{kind: kindOf(name), hash: hex.EncodeToString(sum[:6]), body: body}
	if z := fasthttp.AppendGzipBytesLevel(nil, body, fasthttp.CompressBestCompression); len(z) < len(body)*9/10 {
		f.zipped = z
	}
	as.mu.Lock()
	as.files[name] = f
	as.mu.Unlock()
}

// kindOf doesn't ask the machine's own mime tables: they differ, and nosniff
// makes a wrong one fatal.
func kindOf(name string) string {
	switch ext := path.Ext(name); ext {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	case ".txt":
		return "text/plain; charset=utf-8"
	default:
		return orElse(mime.TypeByExtension(ext), fiber.MIMEOctetStream)
	}
}

func (as *assets) serve(c *fiber.Ctx) error {
	as.mu.RLock()
	f, ok := as.files[c.Params("+")]
	as.mu.RUnlock()
	if !ok {
		return fiber.ErrNotFound
	}
	etag := `"` + f.hash + `"`
	c.Set(fiber.HeaderETag, etag)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	c.Set(fiber.HeaderCacheControl, "no-cache")
	if c.Query("v") == f.hash || strings.HasPrefix(c.Params("+"), versioned) {
		c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	}
	if strings.Contains(c.Get(fiber.HeaderIfNoneMatch), etag) {
		return c.SendStatus(fiber.StatusNotModified)
	}
	c.Set(fiber.HeaderContentType, f.kind)
	if f.zipped != nil && acceptsGzip(c) {
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return c.Send(f.zipped)
	}
	return c.Send(f.body)
}

// versioned files carry their version in their names: style sheets, which can't
// ask for a hash, name them.
const versioned = "fonts/"

func acceptsGzip(c *fiber.Ctx) bool {
	return bytes.Contains(c.Request().Header.Peek(fiber.HeaderAcceptEncoding), []byte("gzip"))
}

// worthZipping is the size from which gzip saves a packet.
const worthZipping = 1400

// compress packs whole pages. Streams stay as they are: a packed one would be
// held back until a block is full.
func (a *App) compress(c *fiber.Ctx) error {
	if err := c.Next(); err != nil {
		if err = c.App().ErrorHandler(c, err); err != nil {
			return err
		}
	}
	r := c.Response()
	html := bytes.HasPrefix(r.Header.ContentType(), []byte("text/html"))
	if !html || r.IsBodyStream() || len(r.Body()) < worthZipping || !acceptsGzip(c) {
		return nil
	}
	r.SetBodyRaw(fasthttp.AppendGzipBytesLevel(nil, r.Body(), fasthttp.CompressDefaultCompression))
	r.Header.Set(fiber.HeaderContentEncoding, "gzip")
	r.Header.Add(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	return nil
}
