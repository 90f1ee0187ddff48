/** The workers that the log tells of, and what state they are in. */
@NullMarked
package io.kvmesh.controller.registry;

import org.jspecify.annotations.NullMarked;
