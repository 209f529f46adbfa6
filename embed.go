// Package starter holds the data that every game of this module starts from.
package starter

import _ "embed"

//go:embed .well-known/sgip.json
var descriptor string

// DescriptorTemplate is the JSON that a game's descriptor grows from (section
// 2): a town's world and network file are laid into it, and the seat on the
// network adds platform_id, public_keys and capabilities. Its inbox, visit and
// return are paths, which the game puts behind its own origin; until then it is
// no valid descriptor.
func DescriptorTemplate() []byte { return []byte(descriptor) }
