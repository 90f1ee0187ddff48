/** How HTTP asks who is asking, as far as both programs do it alike. */
@NullMarked
package io.kvmesh.program.access;

import org.jspecify.annotations.NullMarked;
