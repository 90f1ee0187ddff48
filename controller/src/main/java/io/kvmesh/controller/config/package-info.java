/** Validated settings, and the one place that puts the program together. */
@NullMarked
package io.kvmesh.controller.config;

import org.jspecify.annotations.NullMarked;
