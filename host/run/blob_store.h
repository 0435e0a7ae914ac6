/* SPDX-License-Identifier: MIT */
/* blob_store.h - the folder that keeps what plugins have compiled: $XDG_CACHE_HOME/ptowsp/compiled, else $HOME/.cache/ptowsp/compiled. It belongs to the user alone, one file per key; those that were
 * not used for longest go when they are too many. Under elevated privileges, and where the folder cannot be such a one, there is none. Several processes may use it at once. [any] */
#ifndef HOST_BLOB_STORE_H
#define HOST_BLOB_STORE_H

#include "host/run/blobs.h"

/* A file that was found, and what is in it. */
struct host_stored {
	struct host_blobs blobs;
	void *bytes; /* mapped */
	size_t size;
};
/* false: there is none; one that is damaged is removed. */
bool host_store_find(struct host_stored *out, const uint8_t key[PKG_DIGEST_SIZE]);
void host_stored_finish(struct host_stored *stored);
/* Puts the bytes of a sealed file in the place of what has the key, and removes the oldest ones until all take at most `limit` bytes. false: they are more than that alone, or cannot be written. */
bool host_store_put(const uint8_t key[PKG_DIGEST_SIZE], const struct host_blob_file *file, uint64_t limit);
/* Removes what has the key. */
void host_store_drop(const uint8_t key[PKG_DIGEST_SIZE]);

#endif
