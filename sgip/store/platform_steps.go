package store

import "sgip.example/starter/sgip/storage"

// platformSteps are the numbered migrations of the room platform.
func platformSteps() []storage.Migration { return nil }
