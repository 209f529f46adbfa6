package exchange

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"sgip.example/starter/sgip"
)

const (
	pemType = "PRIVATE KEY"
	// maxKeyFile is far more than a key takes.
	maxKeyFile = 4 << 10
)

// LoadKey reads the key file at path, PKCS #8 in PEM, and makes one, readable by
// its owner alone, where there is none. It refuses a file that others may read
// and one that it can't read whole; it never replaces one.
func LoadKey(path string, random io.Reader) (sgip.Signer, error) {
	signer, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createKey(path, random)
	}
	return signer, err
}

func readKey(path string) (sgip.Signer, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return sgip.Signer{}, fmt.Errorf("key file: %w", err)
	case info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows":
		return sgip.Signer{}, fmt.Errorf("key file %s can be read by others (mode %04o); make it private with chmod 600, "+
			"or rotate the key if someone may have read it", path, info.Mode().Perm())
	case info.Size() > maxKeyFile:
		return sgip.Signer{}, badKeyFile(path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return sgip.Signer{}, fmt.Errorf("key file: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != pemType {
		return sgip.Signer{}, badKeyFile(path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := parsed.(ed25519.PrivateKey)
	if err != nil || !ok {
		return sgip.Signer{}, badKeyFile(path)
	}
	return sgip.NewSigner(key.Seed())
}

func badKeyFile(path string) error {
	return fmt.Errorf("key file %s isn't an Ed25519 key in PEM; put a copy of it back, or move it away to start with a new key", path)
}

// createKey writes under another name first: a half-written key file would look
// like a lost key.
func createKey(path string, random io.Reader) (sgip.Signer, error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return sgip.Signer{}, fmt.Errorf("make key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(ed25519.NewKeyFromSeed(seed))
	if err != nil {
		return sgip.Signer{}, fmt.Errorf("make key: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return sgip.Signer{}, fmt.Errorf("make key: %w", err)
	}
	if err := writeSynced(path, pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der})); err != nil {
		return sgip.Signer{}, fmt.Errorf("write key file: %w", err)
	}
	return sgip.NewSigner(seed)
}

func writeSynced(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".key-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already if all went well
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
