// Package sgip holds the Simulation Game Interoperability Protocol, version
// 0.1, as values and pure functions: envelopes and replies (sections 4 and 5),
// signatures and keys (6), passports (7.1), money, rates and rings (7.4),
// descriptors (2), ids, names and the operations' payloads (9).
//
// Start with ParseEnvelope and Signer for messages, VerifyPassport for
// visitors, and Rate for money. The package knows no HTTP framework, no
// database and no clock of its own: time, randomness and ids come in as
// arguments.
package sgip
