/** Tokens by which programs know who is asking over HTTP, and what each role may do. */
@NullMarked
package io.kvmesh.common.access;

import org.jspecify.annotations.NullMarked;
