/** Names of chunks and workers: value types, immutable, usable from any thread. */
@NullMarked
package io.kvmesh.common.key;

import org.jspecify.annotations.NullMarked;
