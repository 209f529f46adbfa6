package game

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

const (
	// OWASP's second choice for argon2id: 19 MiB, two passes, one lane. Kind to
	// a small server, which lets maxHashes of them run at once.
	argonMemoryKiB = 19 * 1024
	argonPasses    = 2
	argonLanes     = 1
	argonSaltBytes = 16
	argonKeyBytes  = 32
	maxHashes      = 4

	minPassword = 8    // code points, NIST 800-63B
	maxPassword = 1024 // bytes; more is work for the server, not safety
	minHandle   = 2
	maxHandle   = 32
	maxName     = 60 // code points, as in passports
	maxAvatar   = 8

	sessionLife   = 30 * 24 * time.Hour
	recoveryCodes = 8
	codeBytes     = 10
	tokenBytes    = 32
)

// SignUp makes a resident, hidden from other games at first, and returns
// recovery codes that are shown once. ErrTaken, or ErrInvalid with what to mend.
func (t *Town) SignUp(ctx context.Context, handle, name, avatar, password string) (codes []string, err error) {
	if err := checkNewcomer(handle, name, avatar, password); err != nil {
		return nil, err
	}
	hash, err := t.hash(ctx, password)
	if err != nil {
		return nil, err
	}
	codes, hashes, err := t.newCodes()
	if err != nil {
		return nil, err
	}
	err = t.tx(ctx, func(ctx context.Context) error {
		at := t.now()
		if err := t.found(ctx, at); err != nil {
			return err
		}
		person := Person{ID: PersonID(handle), Name: name, Avatar: avatar}
		err := t.settleIn(ctx, person, t.world.Start.Place, t.world.Start.Money, at)
		if errors.Is(err, ErrTaken) {
			return refuse(ErrTaken, "Someone here is called "+handle+" already.")
		}
		if err != nil {
			return err
		}
		if err := t.store.SetLogin(ctx, Login{Handle: handle, Password: hash}); err != nil {
			return err
		}
		return t.store.SetCodes(ctx, handle, hashes)
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}

func checkNewcomer(handle, name, avatar, password string) error {
	if !validHandle(handle) {
		return refuse(ErrInvalid, "A handle has 2 to 32 of a-z, 0-9 and _.")
	}
	if CheckText(name, maxName) != nil || strings.ContainsAny(name, "\n\t") {
		return refuse(ErrInvalid, "A name has 1 to 60 characters, without tags.")
	}
	if avatar != "" && (CheckText(avatar, maxAvatar) != nil || strings.ContainsAny(avatar, "\n\t")) {
		return refuse(ErrInvalid, "An avatar is a short emoji or text.")
	}
	return checkPassword(password)
}

func checkPassword(password string) error {
	if utf8.RuneCountInString(password) < minPassword || len(password) > maxPassword || !utf8.ValidString(password) {
		return refuse(ErrInvalid, fmt.Sprintf("A password has at least %d characters.", minPassword))
	}
	return nil
}

func validHandle(handle string) bool {
	if len(handle) < minHandle || len(handle) > maxHandle {
		return false
	}
	return strings.Trim(handle, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// SignIn starts a session. ErrInvalid alike for an unknown handle and a wrong
// password, after the same work.
func (t *Town) SignIn(ctx context.Context, handle, password string) (token string, err error) {
	login, err := t.store.Login(ctx, handle)
	if err != nil && !errors.Is(err, ErrNoSuch) {
		return "", err
	}
	known := err == nil
	if !known {
		login.Password = phc(make([]byte, argonSaltBytes), make([]byte, argonKeyBytes))
	}
	good, err := t.verify(ctx, login.Password, password)
	if err != nil {
		return "", err
	}
	if !known || !good {
		return "", refuse(ErrInvalid, "Handle and password don't belong together.")
	}
	return t.startSession(ctx, PersonID(handle))
}

// Recover sets a new password with one of the recovery codes, which is used up,
// ends all other sessions and starts one. ErrInvalid alike for a wrong handle
// and a wrong code.
func (t *Town) Recover(ctx context.Context, handle, code, password string) (token string, err error) {
	if err := checkPassword(password); err != nil {
		return "", err
	}
	hash, err := t.hash(ctx, password)
	if err != nil {
		return "", err
	}
	err = t.tx(ctx, func(ctx context.Context) error {
		used, err := t.store.UseCode(ctx, handle, digest(strings.ToLower(strings.TrimSpace(code))))
		if err != nil {
			return err
		}
		if !used {
			return refuse(ErrInvalid, "Handle and code don't belong together.")
		}
		if err := t.store.DropSessions(ctx, PersonID(handle)); err != nil {
			return err
		}
		if err := t.store.SetLogin(ctx, Login{Handle: handle, Password: hash}); err != nil {
			return err
		}
		token, err = t.startSession(ctx, PersonID(handle))
		return err
	})
	return token, err
}

// PlayAs starts a session as a demo player, without a password. Only local mode
// offers it. ErrNoPlayer for anyone else.
func (t *Town) PlayAs(ctx context.Context, handle string) (token string, err error) {
	s, err := t.resident(ctx, handle)
	if err != nil {
		return "", err
	}
	if !s.Demo {
		return "", refuse(ErrNoPlayer, "Nobody of that name is up for playing.")
	}
	return t.startSession(ctx, s.ID)
}

// Session finds who a session token belongs to; ErrNoSuch when it is unknown,
// ended or too old.
func (t *Town) Session(ctx context.Context, token string) (PersonID, error) {
	s, err := t.store.Session(ctx, digest(token), t.now())
	if errors.Is(err, ErrNoSuch) {
		return "", refuse(ErrNoSuch, "Please sign in again.")
	}
	return s.Person, err
}

// SignOut ends a session; an unknown one is as good as ended.
func (t *Town) SignOut(ctx context.Context, token string) error {
	return t.tx(ctx, func(ctx context.Context) error { return t.store.DropSession(ctx, digest(token)) })
}

func (t *Town) startSession(ctx context.Context, who PersonID) (string, error) {
	secret := make([]byte, tokenBytes)
	if _, err := io.ReadFull(t.random, secret); err != nil {
		return "", fmt.Errorf("session token: %w", err)
	}
	token := base64.RawURLEncoding.EncodeToString(secret)
	err := t.tx(ctx, func(ctx context.Context) error {
		at := t.now()
		return t.store.AddSession(ctx, Session{Hash: digest(token), Person: who, Expires: at.Add(sessionLife)}, at)
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

func (t *Town) newCodes() (codes, hashes []string, err error) {
	for range recoveryCodes {
		raw := make([]byte, codeBytes)
		if _, err := io.ReadFull(t.random, raw); err != nil {
			return nil, nil, fmt.Errorf("recovery codes: %w", err)
		}
		code := hex.EncodeToString(raw)
		codes, hashes = append(codes, code), append(hashes, digest(code))
	}
	return codes, hashes, nil
}

// digest is how tokens and codes are kept. They are long and random, so a plain
// hash keeps them.
func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// hash makes the PHC form of a password.
func (t *Town) hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, argonSaltBytes)
	if _, err := io.ReadFull(t.random, salt); err != nil {
		return "", fmt.Errorf("password salt: %w", err)
	}
	key, err := t.derive(ctx, password, salt)
	if err != nil {
		return "", err
	}
	return phc(salt, key), nil
}

func phc(salt, key []byte) string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, argonMemoryKiB, argonPasses, argonLanes, b64(salt), b64(key))
}

// verify compares a password with its PHC form. Only the parameters above were
// ever written; others are a fault.
func (t *Town) verify(ctx context.Context, kept, password string) (bool, error) {
	parts := strings.Split(kept, "$")
	if len(parts) != 6 {
		return false, errors.New("kept password: unknown form")
	}
	salt, errSalt := base64.RawStdEncoding.DecodeString(parts[4])
	key, errKey := base64.RawStdEncoding.DecodeString(parts[5])
	if errSalt != nil || errKey != nil || phc(salt, key) != kept {
		return false, errors.New("kept password: unknown form")
	}
	got, err := t.derive(ctx, password, salt)
	if err != nil || len(password) > maxPassword {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, key) == 1, nil
}

// derive runs argon2id, a few at a time.
func (t *Town) derive(ctx context.Context, password string, salt []byte) ([]byte, error) {
	select {
	case t.hashes <- struct{}{}:
		defer func() { <-t.hashes }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return argon2.IDKey([]byte(password), salt, argonPasses, argonMemoryKiB, argonLanes, argonKeyBytes), nil
}
