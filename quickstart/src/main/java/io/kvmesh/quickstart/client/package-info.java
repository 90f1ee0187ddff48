/** Clients of an agent's native door and of a controller's reply socket. */
@NullMarked
package io.kvmesh.quickstart.client;

import org.jspecify.annotations.NullMarked;
