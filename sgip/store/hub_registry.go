package store

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"gorm.io/gorm"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/hub"
)

// maxIDs bounds the ids of one statement; more are asked in turns.
const maxIDs = 256

type platformRow struct {
	ID           string `gorm:"primaryKey"`
	Revision     int64
	Descriptor   string
	RegisteredAt int64
	HelloAt      int64
	Online       bool
}

func (platformRow) TableName() string { return "hub_platforms" }

type keyRow struct {
	KeyID     string `gorm:"primaryKey"`
	Platform  string `gorm:"primaryKey"`
	PublicKey string
}

func (keyRow) TableName() string { return "hub_keys" }

type edgeRow struct {
	Host         string `gorm:"primaryKey"`
	Position     int    `gorm:"primaryKey;autoIncrement:false"`
	Home         string
	GiveAmount   int64
	GiveCurrency string
	GetAmount    int64
	GetCurrency  string
}

func (edgeRow) TableName() string { return "hub_edges" }

// Platform finds one registration.
func (s *Hub) Platform(ctx context.Context, id string) (hub.Registration, error) {
	var row platformRow
	if err := s.db.Conn(ctx).Where("id = ?", id).Take(&row).Error; err != nil {
		return hub.Registration{}, none(err)
	}
	r := hub.Registration{ID: row.ID, Revision: row.Revision, Online: row.Online,
		RegisteredAt: fromMillis(row.RegisteredAt), HelloAt: fromMillis(row.HelloAt)}
	return r, json.Unmarshal([]byte(row.Descriptor), &r.Descriptor)
}

// Revisions tells the revisions of the registered ones among ids.
func (s *Hub) Revisions(ctx context.Context, ids []string) (map[string]int64, error) {
	revisions := make(map[string]int64, len(ids))
	for some := range slices.Chunk(ids, maxIDs) {
		var rows []platformRow
		if err := s.db.Conn(ctx).Select("id", "revision").Where("id IN ?", padded(some)).Find(&rows).Error; err != nil {
			return nil, err
		}
		for _, row := range rows {
			revisions[row.ID] = row.Revision
		}
	}
	return revisions, nil
}

// padded repeats the last id until there are a power of two, so that a few
// prepared statements serve lists of every length.
func padded(ids []string) []string {
	size := 1
	for size < len(ids) {
		size *= 2
	}
	ids = slices.Clone(ids)
	for len(ids) < size {
		ids = append(ids, ids[len(ids)-1])
	}
	return ids
}

// PlatformIDs lists ids in order.
func (s *Hub) PlatformIDs(ctx context.Context, after string, limit int) ([]string, error) {
	var ids []string
	err := s.db.Conn(ctx).Model(&platformRow{}).Where("id > ? AND id NOT IN (SELECT platform FROM hub_suspensions)", after).
		Order("id").Limit(limit).Pluck("id", &ids).Error
	return ids, err
}

// SaveRegistration replaces what was registered for the platform.
func (s *Hub) SaveRegistration(ctx context.Context, r hub.Registration, keys []sgip.PublicKey) (time.Time, error) {
	text, err := r.Descriptor.Encode()
	if err != nil {
		return time.Time{}, err
	}
	tx := s.db.Tx(ctx)
	err = tx.Exec(`INSERT INTO hub_platforms (id, revision, descriptor, registered_at, hello_at, online) VALUES (?, 1, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET revision = hub_platforms.revision + 1, descriptor = excluded.descriptor,
			hello_at = excluded.hello_at, online = excluded.online`,
		r.ID, string(text), r.RegisteredAt.UnixMilli(), r.HelloAt.UnixMilli(), r.Online).Error
	if err != nil {
		return time.Time{}, err
	}
	if err := replaceKeys(tx, r.ID, keys); err != nil {
		return time.Time{}, err
	}
	if err := replaceEdges(tx, r); err != nil {
		return time.Time{}, err
	}
	var row platformRow
	err = tx.Select("registered_at").Where("id = ?", r.ID).Take(&row).Error
	return fromMillis(row.RegisteredAt), err
}

func replaceKeys(tx *gorm.DB, platform string, keys []sgip.PublicKey) error {
	if err := tx.Where("platform = ?", platform).Delete(&keyRow{}).Error; err != nil {
		return err
	}
	for _, key := range keys {
		if err := tx.Create(&keyRow{KeyID: key.ID, Platform: platform, PublicKey: key.Text}).Error; err != nil {
			return err
		}
	}
	return nil
}

func replaceEdges(tx *gorm.DB, r hub.Registration) error {
	if err := tx.Where("host = ?", r.ID).Delete(&edgeRow{}).Error; err != nil {
		return err
	}
	if r.Descriptor.Money == nil {
		return nil
	}
	for i, entry := range r.Descriptor.Money.Accepts {
		err := tx.Create(&edgeRow{Host: r.ID, Position: i, Home: entry.From, GiveAmount: entry.Give.Amount, GiveCurrency: entry.Give.Currency,
			GetAmount: entry.Get.Amount, GetCurrency: entry.Get.Currency}).Error
		if err != nil {
			return err
		}
	}
	return nil
}

// Listers finds the platforms that list a key.
func (s *Hub) Listers(ctx context.Context, keyID string) ([]hub.Lister, error) {
	var rows []keyRow
	if err := s.db.Conn(ctx).Where("key_id = ?", keyID).Order("platform").Find(&rows).Error; err != nil {
		return nil, err
	}
	var listers []hub.Lister
	for _, row := range rows {
		listers = append(listers, hub.Lister{Platform: row.Platform, PublicKey: row.PublicKey})
	}
	return listers, nil
}

// Edges are the network's accepts entries but for those of one host.
func (s *Hub) Edges(ctx context.Context, except string) ([]sgip.Edge, error) {
	var rows []edgeRow
	if err := s.db.Conn(ctx).Where("host <> ?", except).Order("host, position").Find(&rows).Error; err != nil {
		return nil, err
	}
	edges := make([]sgip.Edge, 0, len(rows))
	for _, row := range rows {
		edges = append(edges, sgip.Edge{From: row.Home, Host: row.Host, Rate: sgip.Rate{
			Give: sgip.Money{Amount: row.GiveAmount, Currency: row.GiveCurrency},
			Get:  sgip.Money{Amount: row.GetAmount, Currency: row.GetCurrency}}})
	}
	return edges, nil
}

// SetOnline writes down marks.
func (s *Hub) SetOnline(ctx context.Context, online map[string]bool) error {
	for id, mark := range online {
		if err := s.db.Tx(ctx).Model(&platformRow{}).Where("id = ?", id).Update("online", mark).Error; err != nil {
			return err
		}
	}
	return nil
}

type ownKeyRow struct {
	KeyID     string `gorm:"primaryKey"`
	ExpiresAt int64
}

func (ownKeyRow) TableName() string { return "hub_own_keys" }

// KeyExpiry is until when a key of the hub's own may be trusted.
func (s *Hub) KeyExpiry(ctx context.Context, keyID string) (time.Time, error) {
	var row ownKeyRow
	err := s.db.Conn(ctx).Where("key_id = ?", keyID).Take(&row).Error
	return fromMillis(row.ExpiresAt), none(err)
}

// MoveKeyExpiry moves it on, never back.
func (s *Hub) MoveKeyExpiry(ctx context.Context, keyID string, to time.Time) error {
	return s.db.Tx(ctx).Exec(`INSERT INTO hub_own_keys (key_id, expires_at) VALUES (?, ?)
		ON CONFLICT (key_id) DO UPDATE SET expires_at = excluded.expires_at WHERE hub_own_keys.expires_at < excluded.expires_at`,
		keyID, to.UnixMilli()).Error
}
