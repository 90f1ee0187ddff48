/** The records of the event log, which all views are made from. */
@NullMarked
package io.kvmesh.common.wire.event;

import org.jspecify.annotations.NullMarked;
