// Package worlds reads towns from folders and judges them. Call Load; two towns
// come with the program, lagos and berlin. A folder holds world.json and, for a
// town that is on the network, network.json.
package worlds

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sgip.example/starter/game"
	"sgip.example/starter/vocabulary"
)

//go:embed lagos berlin
var bundled embed.FS

// maxFile bounds a town's files: a hundred places take a tenth of it.
const maxFile = 1 << 20

// Town is a folder that has been read: its world, ready for use, and its part
// of the descriptor (network.json) as bytes, which the platform judges.
type Town struct {
	World   *game.World
	Network []byte
}

// Names are the towns that come with the program.
func Names() []string { return []string{"lagos", "berlin"} }

// Load reads a town that comes with the program by its name, or any folder by
// its path; a path has a separator or a dot in it, or is a folder that is
// there. All that is wrong is told at once, each as file, path and reason:
// "lagos/world.json: places[3].hours: …".
func Load(nameOrFolder string) (Town, error) {
	words, err := vocabulary.Load()
	if err != nil {
		return Town{}, err
	}
	for _, name := range Names() {
		if name == nameOrFolder {
			return load(bundled, name, name, words)
		}
	}
	info, err := os.Stat(nameOrFolder)
	if err != nil || !info.IsDir() {
		return Town{}, fmt.Errorf("no town %q: it is neither a folder nor one of %s", nameOrFolder, strings.Join(Names(), ", "))
	}
	folder, err := filepath.Abs(nameOrFolder)
	if err != nil {
		return Town{}, err
	}
	return load(os.DirFS(filepath.Dir(folder)), filepath.Base(folder), filepath.Base(folder), words)
}

// slugForm is the form of slugs, ids and folder names: they stand in URLs.
var slugForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)

func load(files fs.FS, folder, slug string, words *vocabulary.Registry) (Town, error) {
	if !slugForm.MatchString(slug) {
		return Town{}, fmt.Errorf("%s: a town's folder is named with a-z, 0-9, - and _", folder)
	}
	raw, err := readFile(files, folder+"/world.json")
	if err != nil {
		return Town{}, err
	}
	w := &game.World{Slug: slug}
	if err := parse(raw, w); err != nil {
		return Town{}, fmt.Errorf("%s/world.json: %w", folder, inWords(err))
	}
	complete(w)
	if err := check(folder+"/world.json", w, words); err != nil {
		return Town{}, err
	}
	draw(w)
	w.Prepare()
	network, err := readFile(files, folder+"/network.json")
	if errors.Is(err, fs.ErrNotExist) {
		return Town{World: w, Network: []byte("{}")}, nil
	}
	return Town{World: w, Network: network}, err
}

// parse reads a world strictly: unknown and repeated fields are refused, and so
// is null, which would make a price 0 without a word.
func parse(raw []byte, w *game.World) error {
	if err := json.Unmarshal(raw, w, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	for {
		token, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if token.Kind() == 'n' {
			return fmt.Errorf("%s: null says nothing, leave it out", path(d.StackPointer()))
		}
	}
}

func readFile(files fs.FS, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(raw) > maxFile {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, maxFile)
	}
	return raw, nil
}

// inWords tells where in the file reading stopped, and why, as people write it.
func inWords(err error) error {
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok {
		reason := "has the wrong type"
		switch {
		case errors.Is(err, json.ErrUnknownName):
			reason = "is not a field of a world"
		case wrong.Err != nil:
			reason = wrong.Err.Error()
		case wrong.GoType != nil:
			reason = fmt.Sprintf("is %s where %s belongs", wrong.JSONKind, wrong.GoType)
		}
		return fmt.Errorf("%s: %s", path(wrong.JSONPointer), reason)
	}
	if broken, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Errorf("%s: %w", path(broken.JSONPointer), broken.Err)
	}
	return err
}

// path writes a JSON pointer as places[3].hours.
func path(pointer jsontext.Pointer) string {
	var b strings.Builder
	for token := range pointer.Tokens() {
		if strings.Trim(token, "0123456789") == "" {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(token)
	}
	if b.Len() == 0 {
		return "the file"
	}
	return b.String()
}
