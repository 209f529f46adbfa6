// Command gen writes the vectors anew beside their package. Run it by go
// generate in sgip/vectors.
package main

import (
	"fmt"
	"os"

	"sgip.example/starter/sgip/vectors"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		os.Exit(1)
	}
}

func run() error {
	for _, name := range vectors.Names() {
		body, err := vectors.Generate(name)
		if err != nil {
			return fmt.Errorf("generate %s: %w", name, err)
		}
		if err := os.WriteFile(name, body, 0o644); err != nil {
			return err
		}
	}
	return nil
}
