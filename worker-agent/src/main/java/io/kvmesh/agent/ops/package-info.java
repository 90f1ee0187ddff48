/** Meters, health and the actuator endpoint. */
@NullMarked
package io.kvmesh.agent.ops;

import org.jspecify.annotations.NullMarked;
