@NullMarked
package io.kvmesh.cli;

import org.jspecify.annotations.NullMarked;
