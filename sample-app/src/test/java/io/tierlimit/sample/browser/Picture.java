package io.tierlimit.sample.browser;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;

import com.microsoft.playwright.Page;

/**
 * Takes pictures of pages for the documentation, in {@code target/screenshots} or the
 * directory of the system property {@code screenshots}.
 */
public final class Picture {

	/** The maximum size of a picture in the documentation. */
	public static final long MOST_BYTES = 200_000;

	private static final Path PICTURES = Path.of(System.getProperty("screenshots", "target/screenshots"));

	private Picture() {
	}

	/**
	 * Takes a picture of a page.
	 * @param page the page
	 * @param name the name of the file, without its ending
	 * @param height the height of the picture; 0 for the whole page
	 * @return the file
	 * @throws IOException if the file cannot be written
	 */
	public static Path take(Page page, String name, int height) throws IOException {
		return take(page, name, 0, height);
	}

	/**
	 * Takes a picture of a part of a page.
	 * @param page the page
	 * @param name the name of the file, without its ending
	 * @param top the upper edge of the part
	 * @param height the height of the picture; 0 for the whole page
	 * @return the file
	 * @throws IOException if the file cannot be written
	 */
	public static Path take(Page page, String name, int top, int height) throws IOException {
		Page.ScreenshotOptions options = new Page.ScreenshotOptions().setFullPage(true);
		if (height > 0) {
			options.setClip(0, top, page.viewportSize().width, height);
		}
		Path file = PICTURES.resolve(name + ".png");
		Files.createDirectories(PICTURES);
		// Compresses the picture again, because the browser compresses it poorly.
		write(ImageIO.read(new ByteArrayInputStream(page.screenshot(options))), file);
		return file;
	}

	private static void write(BufferedImage picture, Path file) throws IOException {
		ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
		ImageWriteParam smallest = writer.getDefaultWriteParam();
		smallest.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
		smallest.setCompressionQuality(0);
		Files.deleteIfExists(file);
		try (ImageOutputStream output = ImageIO.createImageOutputStream(file.toFile())) {
			writer.setOutput(output);
			writer.write(null, new IIOImage(picture, null, null), smallest);
		}
		finally {
			writer.dispose();
		}
	}

}
