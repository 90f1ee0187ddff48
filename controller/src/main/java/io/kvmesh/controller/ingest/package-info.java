/** Applies the log to the views: the index's only writer. */
@NullMarked
package io.kvmesh.controller.ingest;

import org.jspecify.annotations.NullMarked;
