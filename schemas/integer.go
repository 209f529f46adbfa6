package schemas

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/message"
)

// plainInteger is the keyword of that name: a whole number that was written in
// plain digits. JSON Schema's own integer also takes 1.0, 1e2 and -0, which
// other languages read as other things (section 8.4).
//
// It stands beside "type": "integer" and its bounds, so that the files mean
// nearly the same to a validator that doesn't know it.
type plainInteger struct{ min, max int64 }

// foldIntegers moves type and bounds into the keyword. The library would judge
// them with big rationals, and a few bytes such as 1e999999 cost it a million
// digits of arithmetic each.
func foldIntegers(node any) {
	switch node := node.(type) {
	case map[string]any:
		if node["plainInteger"] == true {
			node["plainInteger"] = map[string]any{"minimum": node["minimum"], "maximum": node["maximum"]}
			delete(node, "type")
			delete(node, "minimum")
			delete(node, "maximum")
		}
		for _, child := range node {
			foldIntegers(child)
		}
	case []any:
		for _, child := range node {
			foldIntegers(child)
		}
	}
}

// compilePlain compiles the keyword as foldIntegers has left it.
func compilePlain(_ *jsonschema.CompilerContext, schema map[string]any) (jsonschema.SchemaExt, error) {
	bounds, ok := schema["plainInteger"].(map[string]any)
	if !ok {
		return nil, nil
	}
	lowest, hasMin := bounds["minimum"].(float64)
	highest, hasMax := bounds["maximum"].(float64)
	if !hasMin || !hasMax || lowest != math.Trunc(lowest) || highest != math.Trunc(highest) {
		return nil, fmt.Errorf("plainInteger needs a whole minimum and maximum beside it")
	}
	return plainInteger{min: int64(lowest), max: int64(highest)}, nil
}

// Validate implements jsonschema.SchemaExt.
func (k plainInteger) Validate(ctx *jsonschema.ValidatorContext, value any) {
	number, ok := value.(json.Number)
	n, err := strconv.ParseInt(number.String(), 10, 64)
	plain := ok && err == nil && strconv.FormatInt(n, 10) == number.String()
	if !plain || n < k.min || n > k.max {
		ctx.AddError(k)
	}
}

// KeywordPath implements jsonschema.ErrorKind.
func (k plainInteger) KeywordPath() []string { return []string{"plainInteger"} }

// LocalizedString implements jsonschema.ErrorKind.
func (k plainInteger) LocalizedString(*message.Printer) string {
	return fmt.Sprintf("must be a whole number in plain digits, from %d to %d", k.min, k.max)
}
