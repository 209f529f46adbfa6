package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"sgip.example/starter/sgip"
)

// How a command ends.
const (
	statusOK    = 0
	statusBad   = 1 // what was looked at isn't right
	statusUsage = 2 // it couldn't be looked at
)

// commands are what the tool can do. Every flag has an SGIP_… twin.
type commands struct {
	Keygen   keygenCmd   `cmd:"" help:"Make a key file; prints the public key and its id."`
	Sign     signCmd     `cmd:"" help:"Sign a request; prints the header."`
	Verify   verifyCmd   `cmd:"" help:"Check a request's signature header."`
	Passport passportCmd `cmd:"" help:"Read a passport from standard input, and check it where the hub's key is given."`
	Convert  convertCmd  `cmd:"" help:"Convert money by a rate, as hub and games do."`
	Check    checkCmd    `cmd:"" help:"Test whether a game conforms, as hub.check@1 does."`
	Validate validateCmd `cmd:"" help:"Hold a JSON document to a schema and to what a schema can't say."`
	Vectors  vectorsCmd  `cmd:"" help:"Write the test vectors: signing.json, passports.json, money.json."`
}

// tool is what the commands work with.
type tool struct {
	in       io.Reader
	out, err io.Writer
	now      func() time.Time
	random   io.Reader
	newID    func() string
}

// wrong is the error of what was looked at and isn't right. An empty one has
// been told already.
type wrong struct{ error }

func (w wrong) Unwrap() error { return w.error }

var errTold = errors.New("")

// leave carries kong's wish to end, after --help.
type leave int

// run carries out one command line and gives the exit status.
func (t *tool) run(ctx context.Context, args []string) (status int) {
	defer func() {
		if fault := recover(); fault != nil {
			code, ok := fault.(leave)
			if !ok {
				panic(fault)
			}
			status = int(code)
		}
	}()
	parser, err := kong.New(&commands{}, kong.Name("sgip"), kong.DefaultEnvars("SGIP"),
		kong.Description("A toolbox for those who implement SGIP, in any language."),
		kong.Writers(t.out, t.err), kong.Exit(func(code int) { panic(leave(code)) }),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(t))
	if err != nil {
		return t.fail(err)
	}
	line, err := parser.Parse(args)
	if err != nil {
		return t.fail(err)
	}
	return t.fail(line.Run())
}

// fail says what went wrong, if anything, and gives the status.
func (t *tool) fail(err error) int {
	if err == nil {
		return statusOK
	}
	if !errors.Is(err, errTold) {
		fmt.Fprintln(t.err, "sgip: "+words(err))
	}
	if _, ok := errors.AsType[wrong](err); ok {
		return statusBad
	}
	return statusUsage
}

// words tells a refusal of the protocol by its code.
func words(err error) string {
	if e, ok := errors.AsType[*sgip.Error](err); ok {
		return string(e.Code) + ": " + e.Message
	}
	return err.Error()
}

// read gets a whole file, or standard input for "-". More than limit bytes is
// an error.
func (t *tool) read(name string, limit int) ([]byte, error) {
	source := t.in
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		source = file
	}
	body, err := io.ReadAll(io.LimitReader(source, int64(limit)+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(body) > limit {
		return nil, fmt.Errorf("%s has more than %d bytes", name, limit)
	}
	return body, nil
}

// print writes v as JSON for programs.
func (t *tool) print(v any) error {
	encoder := json.NewEncoder(t.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// say writes lines for people.
func (t *tool) say(lines ...string) error {
	_, err := fmt.Fprintln(t.out, strings.Join(lines, "\n"))
	return err
}

// at is the time to judge by: now, unless a Unix second is given.
func (t *tool) at(seconds *int64) time.Time {
	if seconds != nil {
		return time.Unix(*seconds, 0)
	}
	return t.now()
}
