/** The sockets that LMCache workers and agents ask: PULL and two ROUTERs. */
@NullMarked
package io.kvmesh.controller.lmcache;

import org.jspecify.annotations.NullMarked;
