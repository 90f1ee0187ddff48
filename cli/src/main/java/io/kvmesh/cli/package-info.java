/** The command line: reads the controllers' REST, prints tables or JSON, gives commands. */
@NullMarked
package io.kvmesh.cli;

import org.jspecify.annotations.NullMarked;
