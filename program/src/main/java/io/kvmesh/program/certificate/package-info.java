/** The certificates that a program works with are watched, whatever they are for. */
@NullMarked
package io.kvmesh.program.certificate;

import org.jspecify.annotations.NullMarked;
