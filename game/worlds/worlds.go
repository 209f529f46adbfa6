// Package worlds reads towns from folders and judges them. Two come with the
// program: lagos and berlin.
package worlds

import "sgip.example/starter/game"

// Town is a folder that has been read: its world, and its part of the
// descriptor (network.json) as bytes, which the platform judges.
type Town struct {
	World   *game.World
	Network []byte
}

// Names are the towns that come with the program.
func Names() []string { panic("unwritten") }

// Load reads a town by name, or a folder by path. The error names file, path
// and reason.
func Load(nameOrFolder string) (Town, error) { panic("unwritten") }
