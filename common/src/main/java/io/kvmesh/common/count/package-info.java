/** Counting what happens, without knowing who reads the numbers. */
@NullMarked
package io.kvmesh.common.count;

import org.jspecify.annotations.NullMarked;
