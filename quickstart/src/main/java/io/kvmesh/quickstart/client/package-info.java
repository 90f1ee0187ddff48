/** Clients of controllers' reply sockets. */
@NullMarked
package io.kvmesh.quickstart.client;

import org.jspecify.annotations.NullMarked;
