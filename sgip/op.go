package sgip

import (
	"encoding/json"
	"strings"
)

// Op names an operation and its version: "message.send@1", or experimental
// "x-lagos.wave@1" (section 9, contract 0).
type Op string

// The operations of 0.1 (contract 9).
const (
	HubHello          Op = "hub.hello@1"
	HubCheck          Op = "hub.check@1"
	HubPing           Op = "hub.ping@1"
	PlatformDirectory Op = "platform.directory@1"
	VisitRequest      Op = "visit.request@1"
	VisitEnd          Op = "visit.end@1"
	WalletBalance     Op = "wallet.balance@1"
	WalletCharge      Op = "wallet.charge@1"
	WalletRefund      Op = "wallet.refund@1"
	WalletRead        Op = "wallet.read@1"
	WalletDebit       Op = "wallet.debit@1"
	WalletCredit      Op = "wallet.credit@1"
	PlayerLookup      Op = "player.lookup@1"
	PlayerProfile     Op = "player.profile@1"
	MessageSend       Op = "message.send@1"
	InviteSend        Op = "invite.send@1"
	PlaceStatus       Op = "place.status@1"
)

// Way says between whom an operation travels.
type Way int

// The ways of contract 9's table. Unknown ops may travel between platforms.
const (
	WayUnknown Way = iota
	ToHub          // platform → hub
	FromHub        // hub → platform
	BetweenPlatforms
)

// Way is the operation's way; WayUnknown for one this version doesn't know.
func (op Op) Way() Way {
	switch op {
	case HubHello, HubCheck, PlatformDirectory, VisitRequest, WalletBalance, WalletCharge, WalletRefund:
		return ToHub
	case HubPing, WalletRead, WalletDebit, WalletCredit:
		return FromHub
	case PlayerLookup, PlayerProfile, MessageSend, InviteSend, PlaceStatus, VisitEnd:
		return BetweenPlatforms
	}
	return WayUnknown
}

// Valid reports the form of contract 0: <domain>.<action>@<n>, where domain may
// be x-<label>.
func (op Op) Valid() bool {
	name, version, ok := strings.Cut(string(op), "@")
	if !ok || version == "" || version[0] == '0' || strings.Trim(version, "0123456789") != "" {
		return false
	}
	domain, action, ok := strings.Cut(name, ".")
	if !ok || !validWord(action) {
		return false
	}
	if label, experimental := strings.CutPrefix(domain, "x-"); experimental {
		return validLabel(label)
	}
	return validWord(domain)
}

// Experimental reports whether the op is one of x-<platform>.<action>@<n>, which
// travel between platforms that both declare them (section 10).
func (op Op) Experimental() bool { return strings.HasPrefix(string(op), "x-") }

// RequiredOps are the inbox ops that every platform declares.
func RequiredOps() []Op { return []Op{HubPing, PlayerLookup, MessageSend} }

// CheckPayload holds the payload of a known op to its schema and to the rules a
// schema can't say (I-JSON, the names of the mode). An unknown op passes. The
// error is InvalidPayload.
func CheckPayload(mode Mode, op Op, payload json.RawMessage) error {
	return checkPart(mode, op, "payload", payload)
}

// CheckResult does the same for the result of an ok reply.
func CheckResult(mode Mode, op Op, result json.RawMessage) error {
	return checkPart(mode, op, "result", result)
}

// DecodeResult checks r's result for op and reads it into v; a refusal comes
// back as its *Error. A result that breaks its schema is no answer at all and
// comes back as PlatformOffline, so that nobody takes it for a refusal. Ask
// r.Queued first where the op can be queued.
func DecodeResult(mode Mode, op Op, r Reply, v any) error {
	if !r.OK {
		return r.Error
	}
	err := CheckResult(mode, op, r.Result)
	if err == nil {
		err = unmarshal(r.Result, v)
	}
	if err != nil {
		return Wrap(PlatformOffline, err, "the answer to "+string(op)+" couldn't be read")
	}
	return nil
}
