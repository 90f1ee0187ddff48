/** Traces across programs, as W3C Trace Context defines them. */
@NullMarked
package io.kvmesh.common.trace;

import org.jspecify.annotations.NullMarked;
