/** Commands to workers, sent over ZeroMQ, answered with receipts. */
@NullMarked
package io.kvmesh.controller.command;

import org.jspecify.annotations.NullMarked;
