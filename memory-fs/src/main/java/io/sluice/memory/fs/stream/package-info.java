/** How files are read and written. */
package io.sluice.memory.fs.stream;
