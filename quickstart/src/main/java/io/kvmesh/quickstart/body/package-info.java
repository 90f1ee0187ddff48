/** Chunk keys and the bodies that belong to them. */
@NullMarked
package io.kvmesh.quickstart.body;

import org.jspecify.annotations.NullMarked;
