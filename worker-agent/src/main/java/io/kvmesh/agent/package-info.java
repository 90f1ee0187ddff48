/** The worker agent. */
@NullMarked
package io.kvmesh.agent;

import org.jspecify.annotations.NullMarked;
