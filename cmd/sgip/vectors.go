package main

import (
	"fmt"
	"os"
	"path/filepath"

	"sgip.example/starter/sgip/vectors"
)

type vectorsCmd struct {
	Dir string `arg:"" help:"Folder for the files; made if it isn't there. Files of these names in it are replaced."`
}

func (c vectorsCmd) Run(t *tool) error {
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	for _, name := range vectors.Names() {
		body, err := vectors.Files.ReadFile(name)
		if err != nil {
			return err
		}
		file := filepath.Join(c.Dir, name)
		if err := os.WriteFile(file, body, 0o644); err != nil {
			return fmt.Errorf("write vectors: %w", err)
		}
		if err := t.say(file); err != nil {
			return err
		}
	}
	return nil
}
