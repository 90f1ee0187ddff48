/** What makes traces of a program's work, where it is wanted. */
@NullMarked
package io.kvmesh.program.trace;

import org.jspecify.annotations.NullMarked;
