package platform

import (
	"strconv"
	"testing"
	"time"

	"sgip.example/starter/sgip"
)

func TestPassportCache(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	trusted := func(string) bool { return true }
	until := func(exp int64) seenPassport {
		return seenPassport{keyID: "k", passport: sgip.Passport{Expires: exp}}
	}
	t.Run("OKExpiredOnesMakeRoom", func(t *testing.T) {
		c := newPassportCache()
		c.add("lasting", until(now.Unix()+900), now)
		for i := range maxSeenPassports - 1 {
			c.add(strconv.Itoa(i), until(now.Unix()+1), now)
		}
		c.add("one more", until(now.Unix()+900), now.Add(time.Second))
		if _, ok := c.find("lasting", now, trusted); !ok || len(c.seen) != 2 {
			t.Fatalf("%d left, lasting there: %v", len(c.seen), ok)
		}
	})
	t.Run("OKBounded", func(t *testing.T) {
		c := newPassportCache()
		for i := range 3 * maxSeenPassports {
			c.add(strconv.Itoa(i), until(now.Unix()+900), now)
			if len(c.seen) > maxSeenPassports {
				t.Fatalf("%d passports kept", len(c.seen))
			}
		}
	})
	t.Run("ErrKeyNoLongerTrusted", func(t *testing.T) {
		c := newPassportCache()
		c.add("token", until(now.Unix()+900), now)
		if _, ok := c.find("token", now, func(string) bool { return false }); ok {
			t.Fatal("found")
		}
	})
}
