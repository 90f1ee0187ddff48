/** Meters, health and actuator endpoints: read sides only. */
@NullMarked
package io.kvmesh.controller.ops;

import org.jspecify.annotations.NullMarked;
