/** The programs of the system as child processes: start, readiness, addresses, healing, end. */
@NullMarked
package io.kvmesh.quickstart.fleet;

import org.jspecify.annotations.NullMarked;
