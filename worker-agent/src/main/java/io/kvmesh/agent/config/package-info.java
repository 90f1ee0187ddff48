/** Validated settings, and the one place that puts the program together. */
@NullMarked
package io.kvmesh.agent.config;

import org.jspecify.annotations.NullMarked;
