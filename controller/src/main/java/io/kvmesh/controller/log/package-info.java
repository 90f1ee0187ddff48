/** Writing to the event log. */
@NullMarked
package io.kvmesh.controller.log;

import org.jspecify.annotations.NullMarked;
