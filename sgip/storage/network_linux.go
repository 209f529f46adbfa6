package storage

import "golang.org/x/sys/unix"

// onNetwork reports whether the folder lies on a network file system.
func onNetwork(folder string) bool {
	var fs unix.Statfs_t
	if err := unix.Statfs(folder, &fs); err != nil {
		return false
	}
	return networkMagic(int64(fs.Type) & 0xffffffff)
}

func networkMagic(magic int64) bool {
	const cifs, smb2, afs, ceph = 0xff534d42, 0xfe534d42, 0x5346414f, 0x00c36400
	switch magic {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, cifs, smb2, afs, ceph:
		return true
	}
	return false
}
