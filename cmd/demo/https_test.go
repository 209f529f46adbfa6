package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// authority is a throw-away certificate authority.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
	file string
}

func newAuthority(t *testing.T, dir string) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{t: t, dir: dir, key: key, pool: x509.NewCertPool(), file: filepath.Join(dir, "ca.pem")}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a test's authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.pool.AddCert(a.cert)
	a.write(a.file, "CERTIFICATE", der)
	return a
}

// issue writes a certificate and its key for one name.
func (a *authority) issue(name string) (cert, key string) {
	a.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &private.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, key = filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+"-key.pem")
	a.write(cert, "CERTIFICATE", der)
	a.write(key, "PRIVATE KEY", keyDER)
	return cert, key
}

func (a *authority) write(file, kind string, der []byte) {
	a.t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// newTLSStage is the stage without local mode: hub.test, lagos.test and
// berlin.test over real HTTPS, on names that only --resolve knows.
func newTLSStage(t *testing.T) (*stage, func() *http.Transport) {
	t.Helper()
	dir := t.TempDir()
	ca := newAuthority(t, dir)
	base := freePorts(t)
	addr := map[string]string{}
	for i, name := range []string{"hub.test", "lagos.test", "berlin.test"} {
		addr[name] = "127.0.0.1:" + strconv.Itoa(base+i)
	}
	transport := func() *http.Transport {
		return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: ca.pool},
			DialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
				name, _, _ := strings.Cut(to, ":")
				return (&net.Dialer{}).DialContext(ctx, network, addr[name])
			}}
	}
	start := func(name, bin string, args ...string) *process {
		cert, key := ca.issue(name)
		short := strings.TrimSuffix(name, ".test")
		args = append(args, "--listen", addr[name], "--data", filepath.Join(dir, short),
			"--tls-cert", cert, "--tls-key", key, "--trust-ca", ca.file)
		for other, at := range addr {
			if other != name {
				args = append(args, "--resolve", other+"="+at)
			}
		}
		p := newProcess(t, part{name: short, host: name, bin: bin, args: args}, dir)
		client := &http.Client{Transport: transport(), Timeout: patience}
		p.ready = func() bool { return healthyTLS(client, name, bin) }
		p.start()
		return p
	}
	s := &stage{t: t, dir: dir}
	s.hub = start("hub.test", "hub", "--public-url", "https://hub.test")
	s.lagos = start("lagos.test", "game", "--world", "lagos", "--id", "lagos.test", "--hub", "https://hub.test", "--peer", "berlin=berlin.test")
	s.berlin = start("berlin.test", "game", "--world", "berlin", "--id", "berlin.test", "--hub", "https://hub.test", "--peer", "lagos=lagos.test")
	s.waitReady()
	return s, transport
}

func healthyTLS(client *http.Client, name, bin string) bool {
	res, err := client.Get("https://" + name + "/healthz")
	if err != nil {
		return false
	}
	defer res.Body.Close()
	var health struct{ Registered bool }
	return res.StatusCode == http.StatusOK && json.NewDecoder(res.Body).Decode(&health) == nil && (bin == "hub" || health.Registered)
}

// TestVisit_HTTPS is the protocol's story without local mode: strict URLs, real
// certificates, and a player who signed up with a password.
func TestVisit_HTTPS(t *testing.T) {
	s, transport := newTLSStage(t)
	tunde := newPersonOver(t, "https://lagos.test", "https://berlin.test", transport())
	fields := url.Values{"handle": {"tunde"}, "name": {"Tunde"}, "password": {"danfo to yaba 7"}}
	moved, err := tunde.do(http.MethodPost, tunde.home+"/sign-up", "application/x-www-form-urlencoded", fields.Encode())
	if err != nil || moved.status != http.StatusOK {
		t.Fatalf("sign up: %v, status %d, %s", err, moved.status, moved.body)
	}
	before := s.lagos.balance("tunde")
	tunde.travel("10000")
	a, err := tunde.buy(berlinTreat)
	if err != nil || a.status != http.StatusOK {
		t.Fatalf("buy: %v, status %d, %s", err, a.status, a.body)
	}
	if got := before - s.lagos.balance("tunde"); got != berlinTreatDebit {
		t.Errorf("the treat took %d kobo at home, want %d", got, berlinTreatDebit)
	}
	if charges := s.hub.settledCharges(); charges != 1 {
		t.Errorf("the hub settled %d charges, want 1", charges)
	}
	t.Run("ErrPlayAs", func(t *testing.T) {
		a, err := tunde.do(http.MethodPost, tunde.home+"/play-as", "application/x-www-form-urlencoded", "handle=ada")
		if err != nil || a.status != http.StatusNotFound {
			t.Errorf("play as outside local mode: %v, status %d, want 404", err, a.status)
		}
	})
}
