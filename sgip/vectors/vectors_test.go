package vectors

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"testing"
	"time"

	"sgip.example/starter/sgip"
)

// published reads a file as it stands, and refuses fields nobody checks.
func published(t *testing.T, name string, into any) {
	t.Helper()
	raw, err := Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func TestFiles_AreAsGenerated(t *testing.T) {
	for _, name := range Names() {
		want, err := Generate(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s isn't what the code makes: run go generate ./sgip/vectors and read the difference", name)
		}
	}
	if _, err := Generate("other.json"); err == nil {
		t.Error("made a file that nobody knows")
	}
}

// named checks that each case can be told from the others and says what it is for.
func named(t *testing.T, seen map[string]bool, name, description, expect string) {
	t.Helper()
	if name == "" || description == "" || seen[name] {
		t.Errorf("case %q: %q", name, description)
	}
	seen[name] = true
	if expect != ok && !sgip.Code(expect).Known() {
		t.Errorf("%s expects %q", name, expect)
	}
}

func outcome(err error) string {
	if err == nil {
		return ok
	}
	return string(sgip.CodeOf(err))
}

func keyring(t *testing.T, keys []key) map[string]sgip.PublicKey {
	t.Helper()
	ring := map[string]sgip.PublicKey{}
	for _, k := range keys {
		public, err := sgip.ParsePublicKey(k.PublicKey)
		if err != nil || public.ID != k.KeyID || public.CheckOrder() != nil {
			t.Fatalf("key %s: %v", k.Name, err)
		}
		ring[public.ID], ring[k.Name] = public, public
	}
	return ring
}

// receive decides as a receiver does, with the nonces it remembers.
func receive(t *testing.T, keys map[string]sgip.PublicKey, nonces map[string]bool, r request) error {
	t.Helper()
	body, err := base64.StdEncoding.DecodeString(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	sig, err := sgip.ParseSignature(r.Headers)
	if err != nil {
		return err
	}
	if err := sig.Verify(keys[sig.KeyID], r.Method, r.Path, body); err != nil {
		return err
	}
	if err := sig.CheckTime(time.Unix(r.Now, 0)); err != nil {
		return err
	}
	if nonces[sig.KeyID+sig.Nonce] {
		return sgip.Errorf(sgip.BadSignature, "seen before")
	}
	nonces[sig.KeyID+sig.Nonce] = true
	if canonical := sgip.CanonicalString(r.Method, r.Path, sig.TS, sig.Nonce, body); r.Canonical != "" && string(canonical) != r.Canonical {
		t.Errorf("%s: canonical string %q, want %q", r.Name, canonical, r.Canonical)
	}
	return nil
}

func TestSigning_Holds(t *testing.T) {
	var file signingFile
	published(t, "signing.json", &file)
	keys, seen := keyring(t, file.Keys), map[string]bool{}
	for _, r := range file.Requests {
		named(t, seen, r.Name, r.Description, r.Expect)
		if got := outcome(receive(t, keys, map[string]bool{}, r)); got != r.Expect {
			t.Errorf("%s: %s, want %s", r.Name, got, r.Expect)
		}
		if (r.Expect == ok) != (r.Canonical != "") {
			t.Errorf("%s: canonical string %q", r.Name, r.Canonical)
		}
	}
	for _, s := range file.Sequences {
		named(t, seen, s.Name, s.Description, ok)
		nonces := map[string]bool{}
		for i, r := range s.Steps {
			if got := outcome(receive(t, keys, nonces, r)); got != r.Expect {
				t.Errorf("%s, step %d: %s, want %s", s.Name, i, got, r.Expect)
			}
		}
	}
	for _, k := range file.BadKeys {
		named(t, seen, k.Name, k.Description, k.Expect)
		public, err := sgip.ParsePublicKey(k.PublicKey)
		if err != nil {
			t.Errorf("%s doesn't even parse: %v", k.Name, err)
			continue
		}
		if got := outcome(public.CheckOrder()); got != k.Expect {
			t.Errorf("%s: %s, want %s", k.Name, got, k.Expect)
		}
	}
	for _, k := range file.BadTexts {
		named(t, seen, k.Name, k.Description, k.Expect)
		if _, err := sgip.ParsePublicKey(k.PublicKey); outcome(err) != k.Expect {
			t.Errorf("%s: %v, want %s", k.Name, err, k.Expect)
		}
	}
	wantCount(t, "signing", len(seen), 80)
}

// wantCount keeps a file from emptying out unnoticed.
func wantCount(t *testing.T, what string, got, atLeast int) {
	t.Helper()
	if got < atLeast {
		t.Errorf("%s has %d cases, which were at least %d", what, got, atLeast)
	}
}

func TestPassports_Hold(t *testing.T) {
	var file passportFile
	published(t, "passports.json", &file)
	keys, seen := keyring(t, file.Keys), map[string]bool{}
	for _, p := range file.Passports {
		named(t, seen, p.Name, p.Description, p.Expect)
		_, err := sgip.VerifyPassport(sgip.Mode{}, keys[file.HubKey], p.Token, file.Host, time.Unix(p.Now, 0))
		if got := outcome(err); got != p.Expect {
			t.Errorf("%s: %s (%v), want %s", p.Name, got, err, p.Expect)
		}
	}
	wantCount(t, "passports", len(seen), 90)
}

func TestMoney_Holds(t *testing.T) {
	var file moneyFile
	published(t, "money.json", &file)
	seen := map[string]bool{}
	for _, c := range file.Amounts {
		named(t, seen, "amount "+c.Name, c.Description, c.Expect)
		var m sgip.Money
		if got := outcome(m.UnmarshalJSON([]byte(c.JSON))); got != c.Expect {
			t.Errorf("%s: %s, want %s", c.Name, got, c.Expect)
		}
	}
	for _, c := range file.Codes {
		named(t, seen, "code "+c.Code, c.Description, c.Expect)
		if sgip.ValidCurrency(c.Code) != (c.Expect == ok) {
			t.Errorf("%q isn't %s", c.Code, c.Expect)
		}
	}
	for _, c := range file.Rings {
		named(t, seen, "ring "+c.Name, c.Description, ok)
		edges := make([]sgip.Edge, len(c.Accepts))
		for i, a := range c.Accepts {
			edges[i] = sgip.Edge{From: a.From, Host: a.Host, Rate: a.wire()}
		}
		if got := sgip.Ring(edges) != nil; got != c.Ring {
			t.Errorf("%s: %v", c.Name, got)
		}
	}
	wantCount(t, "money", len(seen), 45)
}

// round divides a × b by c in big numbers.
func round(a, b, c int64, up bool) *big.Int {
	product := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
	if up {
		product.Add(product, big.NewInt(c-1))
	}
	return product.Div(product, big.NewInt(c))
}

// The conversions are worked out again here in another way than the code that
// made the file.
func TestMoney_ConversionsAreRight(t *testing.T) {
	var file moneyFile
	published(t, "money.json", &file)
	seen := map[string]bool{}
	for _, c := range file.Debits {
		named(t, seen, "debit "+c.Name, c.Description, c.Expect)
		if c.Host.Amount < 1 || c.Host.Currency != c.Rate.Get.Currency {
			if c.Expect != string(sgip.InvalidPayload) {
				t.Errorf("%s expects %s", c.Name, c.Expect)
			}
			continue
		}
		want := round(c.Host.Amount, c.Rate.Give.Amount, c.Rate.Get.Amount, true)
		if fits := want.Cmp(big.NewInt(sgip.MaxAmount)) <= 0; fits != (c.Expect == ok) || fits && c.Debit.Amount != want.Int64() {
			t.Errorf("%s: %v, want %s", c.Name, c.Debit, want)
		}
	}
	for _, c := range file.Shown {
		named(t, seen, "shown "+c.Name, c.Description, ok)
		want := round(c.Home.Amount, c.Rate.Get.Amount, c.Rate.Give.Amount, false)
		if want.Cmp(big.NewInt(sgip.MaxAmount)) > 0 {
			want.SetInt64(sgip.MaxAmount)
		}
		if c.Shown.Amount != want.Int64() || c.Shown.Currency != c.Rate.Get.Currency {
			t.Errorf("%s: %v, want %s", c.Name, c.Shown, want)
		}
	}
	for _, c := range file.Balance {
		named(t, seen, "spendable "+c.Name, c.Description, ok)
		home := min(max(c.Balance, 0), c.Budget, c.Daily)
		if want := min(round(home, c.Rate.Get.Amount, c.Rate.Give.Amount, false).Int64(), c.Inflow); c.Spendable.Amount != want {
			t.Errorf("%s: %v, want %d", c.Name, c.Spendable, want)
		}
	}
	wantCount(t, "conversions", len(seen), 27)
}

func TestMoney_RefundsAreRight(t *testing.T) {
	var file moneyFile
	published(t, "money.json", &file)
	seen := map[string]bool{}
	for _, c := range file.Refunds {
		named(t, seen, c.Name, c.Description, ok)
		hostLeft, creditLeft := c.Charge, c.Debit
		for i, s := range c.Steps {
			want := creditLeft
			if s.Refund != hostLeft {
				want = round(c.Debit, s.Refund, c.Charge, false).Int64()
			}
			hostLeft, creditLeft = hostLeft-s.Refund, creditLeft-want
			if s.Credit != want || s.HostLeft != hostLeft || s.CreditLeft != creditLeft {
				t.Errorf("%s, step %d: %+v, want credit %d, left %d and %d", c.Name, i, s, want, hostLeft, creditLeft)
			}
		}
	}
	wantCount(t, "refunds", len(seen), 7)
}
