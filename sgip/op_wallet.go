package sgip

// VisitQuery is the payload of wallet.balance@1.
type VisitQuery struct {
	VisitID string `json:"visit_id"`
}

// Spendable answers it: what can still be spent, per host currency.
type Spendable struct {
	Spendable []Money `json:"spendable"`
}

// ChargePayload asks for a purchase; the envelope's id is the charge id.
type ChargePayload struct {
	VisitID     string `json:"visit_id"`
	Amount      Money  `json:"amount"`
	Description string `json:"description"`
}

// ChargeResult confirms it; Debit is what it cost at home.
type ChargeResult struct {
	ChargeID string `json:"charge_id"`
	Amount   Money  `json:"amount"`
	Debit    Money  `json:"debit"`
}

// RefundPayload gives back Amount, or all that remains; the envelope's id is
// the refund id.
type RefundPayload struct {
	ChargeID string `json:"charge_id"`
	Amount   *Money `json:"amount,omitempty"`
}

// RefundResult confirms it; Remaining is in the host's currency.
type RefundResult struct {
	RefundID  string `json:"refund_id"`
	ChargeID  string `json:"charge_id"`
	Amount    Money  `json:"amount"`
	Credit    Money  `json:"credit"`
	Remaining Money  `json:"remaining"`
	Pending   bool   `json:"pending,omitzero"`
}

// ReadPayload asks the home game for a balance (wallet.read@1).
type ReadPayload struct {
	Player   string `json:"player"`
	Currency string `json:"currency"`
}

// DebitPayload takes money at home (wallet.debit@1).
type DebitPayload struct {
	Player      string `json:"player"`
	ChargeID    string `json:"charge_id"`
	VisitID     string `json:"visit_id"`
	Host        string `json:"host"`
	Amount      Money  `json:"amount"`
	HostAmount  Money  `json:"host_amount"`
	Description string `json:"description"`
}

// Reasons of wallet.credit@1.
const (
	CreditRefund = "refund"
	CreditVoid   = "void"
)

// CreditPayload gives money back at home (wallet.credit@1).
type CreditPayload struct {
	Player     string `json:"player"`
	ChargeID   string `json:"charge_id"`
	RefundID   string `json:"refund_id"`
	Host       string `json:"host"`
	Amount     Money  `json:"amount"`
	HostAmount *Money `json:"host_amount,omitempty"`
	Reason     string `json:"reason"`
}

// WalletResult answers wallet.read, wallet.debit and wallet.credit; arrears are
// reported as zero (7.4).
type WalletResult struct {
	Balance Money `json:"balance"`
}
