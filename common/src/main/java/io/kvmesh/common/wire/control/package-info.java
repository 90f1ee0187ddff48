/**
 * Commands of the controller to a worker, and their receipts: LMCache's worker control protocol
 * with our extensions.
 */
@NullMarked
package io.kvmesh.common.wire.control;

import org.jspecify.annotations.NullMarked;
