package com.example.links;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.FieldVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that each class, method and field that Tierlimit's class files use exists in this
 * version of Spring Boot. All technologies that Tierlimit supports are on the class path.
 */
class LinkTests {

	/**
	 * The adapters to classes that other versions of Spring Boot have in other packages.
	 */
	private static final Map<String, Set<String>> ADAPTERS = Map.of(
			"3", Set.of("io/tierlimit/actuate/RateLimitHealthIndicator",
					"io/tierlimit/autoconfigure/TierlimitHealthAutoConfiguration",
					"io/tierlimit/test/RestTestClientAssertions", "io/tierlimit/web/mvc/ApiVersions"),
			"4", Set.of("io/tierlimit/starter/SpringBoot3HealthAutoConfiguration",
					"io/tierlimit/starter/SpringBoot3HealthIndicator"));

	private static final Pattern TYPE = Pattern.compile("L((?:[a-z][a-zA-Z0-9_]*/)+[A-Z][\\w$]*)[;<]");

	private static final Map<String, Members> MEMBERS = new HashMap<>();

	@Test
	void onlyTheAdaptersOfOtherLinesHaveLinksToMissingClasses() throws IOException {
		Map<String, Set<String>> missing = new TreeMap<>();
		for (Resource file : tierlimit("**/*.class")) {
			try (InputStream content = file.getInputStream()) {
				ClassReader reader = new ClassReader(content);
				Set<String> links = missingLinks(reader);
				if (!links.isEmpty()) {
					missing.put(reader.getClassName(), links);
				}
			}
		}
		String generation = SpringBootVersion.getVersion().substring(0, 1);
		assertThat(missing.keySet()).as(missing::toString).isEqualTo(ADAPTERS.get(generation));
	}

	/** Each class has one name in Spring Boot 3.5, and another name in Spring Boot 4. */
	@ParameterizedTest
	@MethodSource("autoConfigurations")
	void halfOfTheNamesOfMovedAutoConfigurationsExist(String type) throws IOException {
		AnnotationMetadata metadata = new SimpleMetadataReaderFactory().getMetadataReader(type).getAnnotationMetadata();
		List<String> names = new ArrayList<>();
		for (String attribute : List.of("afterName", "beforeName")) {
			names.addAll(List
				.of((String[]) metadata.getAnnotationAttributes(AutoConfiguration.class.getName()).get(attribute)));
		}
		assertThat(names.stream().filter((name) -> ClassUtils.isPresent(name, null)))
			.hasSize(names.size() / 2);
	}

	static Stream<String> autoConfigurations() throws IOException {
		List<String> names = new ArrayList<>();
		for (Resource file : new PathMatchingResourcePatternResolver()
			.getResources("classpath*:META-INF/spring/" + AutoConfiguration.class.getName() + ".imports")) {
			file.getContentAsString(StandardCharsets.UTF_8).lines().filter((name) -> name.startsWith("io.tierlimit.")).forEach(names::add);
		}
		assertThat(names).hasSizeGreaterThan(10);
		return names.stream();
	}

	private static Resource[] tierlimit(String pattern) throws IOException {
		Resource[] files = new PathMatchingResourcePatternResolver().getResources("classpath*:io/tierlimit/" + pattern);
		assertThat(files).hasSizeGreaterThan(200);
		return files;
	}

	private static Set<String> missingLinks(ClassReader reader) {
		Set<String> missing = new TreeSet<>();
		char[] buffer = new char[reader.getMaxStringLength()];
		for (int i = 1; i < reader.getItemCount(); i++) {
			int item = reader.getItem(i);
			int tag = (item > 0) ? reader.readByte(item - 1) : 0;
			switch (tag) {
				case 1 -> addMissingTypes(text(reader, item), missing);
				case 7 -> addMissingTypes("L" + reader.readUTF8(item, buffer) + ";", missing);
				case 9, 10, 11 -> {
					String owner = reader.readClass(item, buffer);
					int member = reader.getItem(reader.readUnsignedShort(item + 2));
					String signature = reader.readUTF8(member, buffer) + reader.readUTF8(member + 2, buffer);
					if (!owner.startsWith("[") && !owner.startsWith("java/") && exists(owner)
							&& !hasMember(owner, signature)) {
						missing.add(owner + "." + signature);
					}
				}
				default -> {
				}
			}
		}
		return missing;
	}

	/** Descriptors and signatures, including descriptors of annotations. */
	private static void addMissingTypes(String text, Set<String> missing) {
		Matcher types = TYPE.matcher(text);
		for (int start = 0; types.find(start); start = types.end(1)) {
			if (!exists(types.group(1))) {
				missing.add(types.group(1));
			}
		}
	}

	private static String text(ClassReader reader, int item) {
		byte[] bytes = new byte[reader.readUnsignedShort(item)];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = (byte) reader.readByte(item + 2 + i);
		}
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private static boolean exists(String type) {
		return members(type) != Members.NONE;
	}

	private static boolean hasMember(String type, String signature) {
		Members members = members(type);
		return members.signatures().contains(signature)
				|| members.parents().stream().anyMatch((parent) -> hasMember(parent, signature));
	}

	private static Members members(String type) {
		return MEMBERS.computeIfAbsent(type, Members::of);
	}

	private record Members(Set<String> signatures, List<String> parents) {

		static final Members NONE = new Members(Set.of(), List.of());

		static Members of(String type) {
			try (InputStream content = ClassLoader.getSystemResourceAsStream(type + ".class")) {
				if (content == null) {
					return NONE;
				}
				Collector collector = new Collector();
				new ClassReader(content).accept(collector,
						ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
				return new Members(collector.signatures, collector.parents);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

	private static final class Collector extends ClassVisitor {

		private final Set<String> signatures = new HashSet<>();

		private final List<String> parents = new ArrayList<>();

		Collector() {
			super(Opcodes.ASM9);
		}

		@Override
		public void visit(int version, int access, String name, String signature, String superName,
				String[] interfaces) {
			if (superName != null) {
				this.parents.add(superName);
			}
			this.parents.addAll(List.of(interfaces));
		}

		@Override
		public MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
				String[] exceptions) {
			this.signatures.add(name + descriptor);
			return null;
		}

		@Override
		public FieldVisitor visitField(int access, String name, String descriptor, String signature, Object value) {
			this.signatures.add(name + descriptor);
			return null;
		}

	}

}
