/**
 * What workers and routers say to the controller, and its answers: LMCache's controller protocol
 * with our extensions.
 */
@NullMarked
package io.kvmesh.common.wire.directory;

import org.jspecify.annotations.NullMarked;
