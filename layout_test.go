package starter_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "sgip.example/starter/"

// rooms says which of our rooms each room may import, and why it is so. A room
// that isn't listed may not exist.
var rooms = map[string]struct {
	may []string
	why string
}{
	"":                 {nil, "the root holds only the data of .well-known"},
	"vocabulary":       {nil, "the shared words are data"},
	"schemas":          {nil, "the schemas are data"},
	"schemas/generate": {[]string{"vocabulary", "schemas"}, "common.json is generated from the vocabulary"},
	"sgip":             {[]string{"vocabulary", "schemas"}, "the protocol is values and pure functions"},
	"sgip/crash":       {nil, "a place where a test may kill the process"},
	"sgip/vectors":     {[]string{"sgip"}, "vectors are made from the protocol alone"},
	"sgip/vectors/gen": {[]string{"sgip/vectors"}, "the command that writes them"},
	"sgip/outbound":    {[]string{"sgip"}, "one guarded client for all calls to others"},
	"sgip/storage":     {[]string{"sgip/crash"}, "storage doesn't know what is stored"},
	"sgip/exchange":    {[]string{"sgip", "sgip/outbound", "sgip/crash"}, "replay, retry and queue exist once"},
	"sgip/platform":    {[]string{"sgip", "sgip/exchange", "sgip/outbound"}, "a seat for any Go game"},
	"sgip/visit":       {[]string{"sgip", "sgip/platform"}, "a visit for any Go game"},
	"sgip/conformance": {[]string{"sgip", "sgip/outbound"}, "one suite for hub and command line"},
	"sgip/hub":         {[]string{"sgip", "sgip/exchange", "sgip/outbound", "sgip/conformance"}, "the hub knows no game"},
	"sgip/store":       {[]string{"sgip", "sgip/storage", "sgip/exchange", "sgip/platform", "sgip/visit", "sgip/hub"}, "row types stay inside"},
	"sgip/fiberhttp":   {[]string{"sgip", "sgip/exchange", "sgip/visit"}, "raw request in, bytes out"},
	"game":             {nil, "the rules know no HTTP, protocol or database"},
	"game/worlds":      {[]string{"game", "vocabulary"}, "a town is a folder"},
	"game/store":       {[]string{"game", "sgip/storage"}, "the game's tables"},
	"game/bridge":      {[]string{"game", "sgip", "sgip/platform", "sgip/visit"}, "the one place that knows game and protocol"},
	"web":              {nil, "the shell knows no game"},
	"web/town":         {[]string{"web", "game", "game/bridge", "sgip", "sgip/platform", "sgip/visit", "sgip/fiberhttp"}, "the game's pages"},
	"web/hubsite":      {[]string{"web", "sgip", "sgip/hub"}, "the hub's pages"},
	"cmd/game":         {[]string{"*"}, "wiring"},
	"cmd/hub":          {[]string{"*"}, "wiring"},
	"cmd/demo":         {[]string{"*"}, "wiring"},
	"cmd/sgip":         {[]string{"*"}, "wiring"},
}

// fences keeps each of these libraries in the rooms that adapt it.
var fences = map[string][]string{
	"github.com/gofiber/fiber/v2":  {"web", "web/town", "web/hubsite", "sgip/fiberhttp", "cmd/game", "cmd/hub", "cmd/demo"},
	"gorm.io/":                     {"sgip/storage", "sgip/store", "game/store", "cmd/game", "cmd/hub"},
	"modernc.org/sqlite":           {"sgip/storage"},
	"github.com/golang-jwt/jwt/v5": {"sgip"},
	"github.com/valyala/fasthttp":  {"web", "web/town", "web/hubsite", "sgip/fiberhttp", "cmd/game", "cmd/hub"},
}

func TestLayout_Arrows(t *testing.T) {
	files := 0
	eachGoFile(t, func(file string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		files++
		room := path.Dir(filepath.ToSlash(file))
		if room == "." {
			room = ""
		}
		rule, ok := rooms[room]
		if !ok {
			t.Errorf("%s: no such room %q in the table of rooms", file, room)
			return
		}
		for _, imported := range importsOf(t, file) {
			if breach := judgeImport(room, rule.may, imported); breach != "" {
				t.Errorf("%s: %s (%s)", file, breach, rule.why)
			}
		}
	})
	if files == 0 {
		t.Fatal("no Go file was looked at")
	}
}

func TestLayout_Judge(t *testing.T) {
	for _, c := range []struct {
		room, imported string
		refused        bool
	}{
		{"game", module + "sgip", true},
		{"game/bridge", module + "sgip", false},
		{"sgip", "github.com/gofiber/fiber/v2", true},
		{"sgip/hub", "gorm.io/gorm", true},
		{"sgip/storage", "gorm.io/gorm", false},
		{"cmd/game", module + "sgip/hub", false},
	} {
		got := judgeImport(c.room, rooms[c.room].may, c.imported) != ""
		if got != c.refused {
			t.Errorf("%s imports %s: refused is %v, want %v", c.room, c.imported, got, c.refused)
		}
	}
}

// judgeImport says what is wrong with an import, or "".
func judgeImport(room string, may []string, imported string) string {
	if ours, ok := strings.CutPrefix(imported, module); ok {
		if !slices.Contains(may, ours) && !slices.Contains(may, "*") {
			return "may not import " + ours
		}
		return ""
	}
	for library, where := range fences {
		if strings.HasPrefix(imported, library) && !slices.Contains(where, room) {
			return "may not import " + library
		}
	}
	return ""
}

// TestLayout_Skips holds every test to one way of being left out: the one that
// fails in CI.
func TestLayout_Skips(t *testing.T) {
	eachGoFile(t, func(file string) {
		if !strings.HasSuffix(file, "_test.go") || file == "layout_test.go" {
			return
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, ".Skip") && !strings.Contains(line, "CI=true would fail here") {
				t.Errorf("%s:%d: a test may be left out only where CI=true would fail it instead", file, n+1)
			}
		}
	})
}

func TestLayout_Root(t *testing.T) {
	allowed := []string{".ci", ".git", ".gitignore", ".well-known", "CHANGELOG.md", "CONTRIBUTING.md", "Dockerfile", "LICENSE", "Makefile",
		"README.md", "SECURITY.md", "cmd", "docs", "embed.go", "game", "go.mod", "go.sum", "layout_test.go", "readme_test.go", "schemas",
		"sgip", "staticcheck.conf", "vocabulary", "web", "data", "bin", "out", ".dockerignore"}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(allowed, e.Name()) {
			t.Errorf("%s stands at the root and isn't one of the house's rooms", e.Name())
		}
	}
}

func eachGoFile(t *testing.T, visit func(file string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", "data", "bin", "out"}, file) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(file, ".go") {
			visit(file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func importsOf(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, spec := range parsed.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	return paths
}
