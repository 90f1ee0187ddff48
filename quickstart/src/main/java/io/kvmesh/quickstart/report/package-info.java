/** What the user sees: progress, the table, the JSON file. */
@NullMarked
package io.kvmesh.quickstart.report;

import org.jspecify.annotations.NullMarked;
