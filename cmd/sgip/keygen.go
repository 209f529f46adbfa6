package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

type keygenCmd struct {
	Show bool   `help:"Show the public key of a file that is there; make none."`
	JSON bool   `name:"json" help:"Print JSON."`
	File string `arg:"" help:"The key file: PKCS #8 in PEM, readable by its owner alone."`
}

func (c keygenCmd) Run(t *tool) error {
	signer, err := c.key(t)
	if err != nil {
		return err
	}
	if c.JSON {
		return t.print(map[string]string{"public_key": signer.Public.Text, "key_id": signer.Public.ID})
	}
	return t.say("public key  "+signer.Public.Text, "key id      "+signer.Public.ID)
}

func (c keygenCmd) key(t *tool) (sgip.Signer, error) {
	if c.Show {
		return readKey(c.File)
	}
	if _, err := os.Lstat(c.File); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("%s is there already; --show shows its public key", c.File)
		}
		return sgip.Signer{}, err
	}
	return exchange.LoadKey(c.File, t.random)
}

// readKey reads a key file and never makes one.
func readKey(file string) (sgip.Signer, error) {
	if _, err := os.Stat(file); err != nil {
		return sgip.Signer{}, fmt.Errorf("key file: %w", err)
	}
	return exchange.LoadKey(file, strings.NewReader("")) // nothing to make a key of
}
