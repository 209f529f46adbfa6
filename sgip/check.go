package sgip

import (
	"encoding/json"
	"iter"
	"strings"
	"sync"

	"sgip.example/starter/schemas"
)

// compiled are the schemas, compiled when first needed and never changed.
var compiled = sync.OnceValues(schemas.Load)

// checkSchema holds a strictly read document to the schema of that name.
func checkSchema(name string, doc map[string]any) error {
	set, err := compiled()
	if err != nil {
		return Wrap(Internal, err, "the schemas couldn't be read")
	}
	if err := set.Check(name, doc); err != nil {
		return Errorf(InvalidPayload, "%s", err)
	}
	return nil
}

// checkPart checks the payload or the result of an op.
func checkPart(mode Mode, op Op, part string, raw json.RawMessage) error {
	if op.Way() == WayUnknown {
		return nil
	}
	limit := MaxBody
	if part == "result" {
		limit = MaxHubReply // the larger of the two; the reply was held to its own
	}
	doc, err := decodeAny(raw, limit)
	if err != nil {
		return err
	}
	name, _, _ := strings.Cut(string(op), "@")
	schema := name + "." + part
	if err := checkSchema(schema, doc); err != nil {
		return err
	}
	return checkNames(mode, schema, doc)
}

// namedFields are the known fields that hold names, by schema. Only these are
// looked at: what a later version calls by the same name is none of our business.
func namedFields(schema string) []string {
	switch schema {
	case "player.lookup.payload", "player.lookup.result", "player.profile.payload",
		"player.profile.result", "wallet.read.payload":
		return []string{"player"}
	case "wallet.debit.payload", "wallet.credit.payload":
		return []string{"player", "host"}
	case "visit.request.payload":
		return []string{"host"}
	case "platform.directory.payload":
		return []string{"platform"}
	case "hub.hello.result", "hub.check.result":
		return []string{"platform_id"}
	case "platform.directory.result":
		return []string{"platforms.*.platform_id", "platforms.*.accepts.*.from"}
	case "invite.send.payload", "place.status.payload", "place.status.result":
		return []string{"place"}
	}
	return nil
}

// checkNames holds the platforms, players and places that a document names to
// the mode: a schema can't know whether names under .localhost are taken. doc
// has passed its schema.
func checkNames(mode Mode, schema string, doc map[string]any) error {
	for _, path := range namedFields(schema) {
		key := path[strings.LastIndexByte(path, '.')+1:]
		for text := range valuesAt(doc, strings.Split(path, ".")) {
			if !mode.validName(key, text) {
				return Errorf(InvalidPayload, "%s must be a name that this network takes", path)
			}
		}
	}
	return nil
}

// validName judges a field's text by what the protocol calls the field.
func (m Mode) validName(key, text string) bool {
	switch key {
	case "player":
		_, _, ok := m.SplitPlayer(text)
		return ok
	case "place":
		platform, _, _ := strings.Cut(strings.TrimPrefix(text, "place://"), "/")
		return m.ValidPlatform(platform)
	}
	return m.ValidPlatform(text)
}

// valuesAt gives the strings at a path, where * stands for each item of a list.
func valuesAt(node any, path []string) iter.Seq[string] {
	return func(yield func(string) bool) { walkPath(node, path, yield) }
}

func walkPath(node any, path []string, yield func(string) bool) bool {
	if len(path) == 0 {
		text, ok := node.(string)
		return !ok || yield(text)
	}
	if path[0] != "*" {
		object, _ := node.(map[string]any)
		child, ok := object[path[0]]
		return !ok || walkPath(child, path[1:], yield)
	}
	list, _ := node.([]any)
	for _, item := range list {
		if !walkPath(item, path[1:], yield) {
			return false
		}
	}
	return true
}
