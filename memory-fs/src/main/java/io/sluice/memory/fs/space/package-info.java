/** The bytes of files, in extents of a store. */
package io.sluice.memory.fs.space;
