/** Which worker holds which chunk: the views' common interface, and the one in memory. */
@NullMarked
package io.kvmesh.controller.index;

import org.jspecify.annotations.NullMarked;
