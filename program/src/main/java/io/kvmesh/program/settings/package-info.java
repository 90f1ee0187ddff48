/** How a program reads its settings: all faults are told at once, before anything is started. */
@NullMarked
package io.kvmesh.program.settings;

import org.jspecify.annotations.NullMarked;
