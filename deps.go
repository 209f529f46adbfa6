//go:build deps

package starter

import (
	_ "filippo.io/edwards25519"
	_ "github.com/alecthomas/kong"
	_ "github.com/bojanz/currency"
	_ "github.com/chromedp/chromedp"
	_ "github.com/go-json-experiment/json"
	_ "github.com/gofiber/fiber/v2"
	_ "github.com/gofiber/fiber/v2/middleware/adaptor"
	_ "github.com/golang-jwt/jwt/v5"
	_ "github.com/oklog/ulid/v2"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "go.uber.org/goleak"
	_ "golang.org/x/crypto/argon2"
	_ "golang.org/x/sync/singleflight"
	_ "golang.org/x/text/language"
	_ "gorm.io/driver/sqlite"
	_ "gorm.io/gorm"
	_ "modernc.org/sqlite"
	_ "pgregory.net/rapid"
)
